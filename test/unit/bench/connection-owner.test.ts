import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { findConnectionOwner } from '../../bench/connection-owner.ts'

describe('the owner of a connection', () => {
  it('is the given process that opened it, even if another has ended, or null if none opened it', async () => {
    const ended = spawnSync('true')
    const owners: (number | null)[] = []
    let pid = 0
    const server = createServer(({ socket }, response) => {
      const port = socket.remotePort ?? 0
      owners.push(findConnectionOwner(port, [process.pid, ended.pid, pid]))
      owners.push(findConnectionOwner(port, [process.ppid]))
      response.end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = spawn(process.execPath, ['--eval', `fetch('${url}')`], { stdio: 'ignore' })
    pid = client.pid ?? 0
    await once(client, 'exit')
    server.close()
    expect(owners).to.deep.equal([pid, null])
  })
})
