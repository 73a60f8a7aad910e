"""Answers questions: lanes inside the asker's audience, fused into ranked hits that can be cited."""
