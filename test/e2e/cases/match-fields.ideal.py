bytes([300])
