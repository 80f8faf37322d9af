SELECT multimed.watch('${relation}'::regclass)
