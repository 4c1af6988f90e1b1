@a.b(c)
@d
class C(B, metaclass=M):
  k: int = 1
  @property
  def p(self, /, a, *, b: int = 2, **c) -> int: return self.p
  async def q(self): await self.p
