"""What a stage costs a month, as code: dated prices, measured figures, loads, and the page that is made of them."""
