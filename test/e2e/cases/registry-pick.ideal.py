import operator
operator.add(0, '')
