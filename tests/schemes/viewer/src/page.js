if (method === 'moreau' || method === `event`) show()  // found, twice
if (joint.kind === 'socket') show()                    // found
