int x = event_find();  // found: of another scheme
