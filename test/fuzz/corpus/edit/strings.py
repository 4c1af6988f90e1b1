def f():
    '''doc
  string'''
    x = f"""a
{f'{y!r:>{w}}'}  
 b"""
    return x % 'a' 'b' \
        'c'
