"""An update becomes a use case: who asks, where, what for, and how they are answered."""
