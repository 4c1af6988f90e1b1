from __future__ import annotations
import a, b.c as d
from .e import (f, g as h,
  i,)
from j import *
print(a, d, f, h)
