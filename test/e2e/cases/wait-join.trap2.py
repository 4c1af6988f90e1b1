print("all items sent", flush=True)
