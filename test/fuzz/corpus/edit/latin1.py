# -*- coding: latin-1 -*-
größe = 'mä'
def fü(ä=1): return ä
fü(größe)
