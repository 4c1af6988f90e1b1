print("all items sent", flush=True)
while True: pass
