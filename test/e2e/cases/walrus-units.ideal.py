float('.')
