const contact_type contact_stop = {.name = "stop"};
