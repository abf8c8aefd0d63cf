import { EventEmitter } from 'node:events'
import { expect } from 'chai'
import { AppError } from '../../../shared/domain/errors.ts'
import { ConfigError } from '../../../shared/runtime/config-error.ts'
import { createLifecycle, getExitCode, type LifecyclePart } from '../../../shared/runtime/lifecycle.ts'
import { recordingLog } from '../../support/recording-log.ts'

describe('a lifecycle', () => {
  it('starts its parts in order; the first signal stops them in reverse order and exits with 0', async () => {
    const { host, lifecycle, exited } = begin()
    const calls: string[] = []
    await lifecycle.start(['database', 'server'].map((name) => part(name, calls)))
    host.emit('SIGTERM', 'SIGTERM')
    expect(await exited).to.equal(0)
    expect(calls).to.deep.equal(['start database', 'start server', 'stop server', 'stop database'])
  })

  it('exits immediately at the second signal', async () => {
    const { host, lifecycle, exited } = begin()
    let finish: (value?: unknown) => void = () => {}
    const stuck = new Promise((resolve) => {
      finish = resolve
    })
    await lifecycle.start([{ ...part('stuck'), stop: () => stuck }])
    host.emit('SIGINT', 'SIGINT')
    host.emit('SIGINT', 'SIGINT')
    expect(await exited).to.equal(75)
    finish()
  })

  it('aborts stopping at its time limit and exits with 75', async () => {
    const { host, lifecycle, exited } = begin({ stopTimeoutMs: 5 })
    await lifecycle.start([{ ...part('stuck'), stop: () => new Promise(() => {}) }])
    host.emit('SIGTERM', 'SIGTERM')
    expect(await exited).to.equal(75)
  })

  it('stops a part that fails to start and the parts before it, and starts no further part', async () => {
    const { lifecycle, exited, lines } = begin()
    const calls: string[] = []
    const broken = {
      ...part('broken', calls),
      start: () => {
        throw new ConfigError(['PORT is 0'])
      },
    }
    await lifecycle.start([part('database', calls), broken, part('server', calls)])
    expect(await exited).to.equal(1)
    expect(calls).to.deep.equal(['start database', 'stop broken', 'stop database'])
    expect(lines[0]).to.include({ level: 'fatal', msg: 'Could not start', part: 'broken' })
  })

  it('stops the other parts if a part fails to stop, and exits with 75', async () => {
    const { host, lifecycle, exited } = begin()
    const calls: string[] = []
    const broken = { ...part('broken'), stop: () => Promise.reject(new Error('no')) }
    await lifecycle.start([part('database', calls), broken])
    host.emit('SIGTERM', 'SIGTERM')
    expect(await exited).to.equal(75)
    expect(calls).to.deep.equal(['start database', 'stop database'])
  })

  for (const event of ['uncaughtException', 'unhandledRejection']) {
    it(`stops and exits with 75 on an ${event}`, async () => {
      const { host, lifecycle, exited, lines } = begin()
      const calls: string[] = []
      await lifecycle.start([part('server', calls)])
      host.emit(event, new Error('bug'))
      expect(await exited).to.equal(75)
      expect(calls).to.deep.equal(['start server', 'stop server'])
      expect(lines.map(({ msg }) => msg)).to.include('Unrecoverable failure')
    })
  }
})

describe('getExitCode', () => {
  it('returns 1 if a person must act, and 75 if a restart might help', () => {
    expect(getExitCode(new ConfigError(['x']))).to.equal(1)
    expect(getExitCode(new AppError('validation_error', 'x'))).to.equal(1)
    expect(getExitCode(new AppError('rpc_unavailable', 'x'))).to.equal(75)
    expect(getExitCode(new Error('x'))).to.equal(75)
  })
})

function begin(options: { stopTimeoutMs?: number } = {}) {
  let exit: (code: unknown) => void = () => {}
  const exited = new Promise((resolve) => {
    exit = resolve
  })
  const host = new EventEmitter()
  const { log, lines } = recordingLog()
  const player = Object.assign(host, { exit }) as unknown as Pick<NodeJS.Process, 'on' | 'exit'>
  return { host, exited, lines, lifecycle: createLifecycle({ log, host: player, ...options }) }
}

function part(name: string, calls: string[] = []): LifecyclePart {
  return { name, start: () => calls.push(`start ${name}`), stop: () => calls.push(`stop ${name}`) }
}
