/**
 * A minimal server of event streams. Every response is a stream that stays open. For each message of the parent, the
 * server writes one frame of FRAME_BYTES bytes to each stream.
 *
 *   node --import tsx test/bench/bare-writer.ts FRAME_BYTES
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const open = new Set<ServerResponse>()
const frame = Buffer.alloc(Number(process.argv[2]), 'x')

const server = createServer((request, response) => {
  request.socket.setNoDelay(true)
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
  // Our API also sends a first frame, which contains the current state.
  response.write(frame)
  open.add(response)
  response.once('close', () => open.delete(response))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('message', () => {
  for (const response of open) response.write(frame)
})
process.on('disconnect', () => process.exit(0))
