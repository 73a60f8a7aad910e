"""Lorebase on AWS: a CDK app, a stack that composes constructs, and one construct a concern."""
