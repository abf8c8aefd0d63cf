// Ponder insists on this file; of its HTTP server we read its own metrics alone.
import { Hono } from 'hono'

export default new Hono()
