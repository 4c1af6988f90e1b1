@requires_debug_ranges()
class Positions(Case):
        ]:
                self.a(b.c[0], d[1])
