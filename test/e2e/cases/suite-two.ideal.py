import struct
struct.pack("<2c", 0)
