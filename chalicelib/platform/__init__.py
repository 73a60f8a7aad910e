"""What the outside must offer (ports.py), and its two realisations: aws/ and local/."""
