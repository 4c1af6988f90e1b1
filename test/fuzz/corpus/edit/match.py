match a, [b]:
  case (1, [x, *y]) if x: pass
  case C(k={'z': q, **r}) | None as s:
    q
  case _: del q
