"""No test, wherever it stands, reaches another machine."""

from offline import forbid_network

forbid_network()
