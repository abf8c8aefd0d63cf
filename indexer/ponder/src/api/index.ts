// Ponder requires this file. The daemon reads only Ponder's own metrics from its HTTP server.
import { Hono } from 'hono'

export default new Hono()
