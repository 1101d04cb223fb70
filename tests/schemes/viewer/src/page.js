if (method === 'moreau' || method === `event`) show()  // found, twice
