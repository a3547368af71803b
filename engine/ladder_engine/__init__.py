"""The mini inference engine: real weights, paged KV, iteration-level scheduling, a typed trace. No Qt."""
