 	

  # c
