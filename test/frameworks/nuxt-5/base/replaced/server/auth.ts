throw new Error("A layer before this one has the configuration.");
