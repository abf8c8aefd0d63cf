// Ponder insists on this file; nothing of ours reads its HTTP server.
import { Hono } from 'hono'

export default new Hono()
