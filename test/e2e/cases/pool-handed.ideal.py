import struct
struct.pack("<H", 70_000)
