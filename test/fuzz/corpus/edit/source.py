k = r'''
#define A(x) '
/* c
extern "C" void f(int a) { if (a) { b; } else { c; } do { d[1]; } while (0); }
'''
m = f'''
x{y}; {{ {z}; }}}}
'''
n = '''a;
\n/'''
