sin
