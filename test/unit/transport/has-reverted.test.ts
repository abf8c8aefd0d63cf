import { expect } from 'chai'

import { hasHalted, hasReverted, rpcError } from '../../../shared/chain/nodes/node-errors.ts'

const CALL = { method: 'eth_call', url: 'http://node' }

describe('a call that reverted', () => {
  it('is distinguished from other java-tron errors by its message', () => {
    const told = (message: string) => hasReverted(rpcError({ code: -32000, message, data: '0x' }, CALL))
    expect(told('REVERT opcode executed')).to.equal(true)
    expect(told('lack of computing resources')).to.equal(false)
    expect(told('failed before the REVERT')).to.equal(false)
  })
})

describe('a call that halted', () => {
  const halted = (message: string) => hasHalted(rpcError({ code: -32000, message }, CALL))

  for (const message of [
    ...[
      'out of gas',
      'invalid opcode: INVALID',
      'stack underflow (0 <=> 2)',
      'stack limit reached 1024 (1023)',
    ],
    ...['invalid jump destination', 'EVM error InvalidFEOpcode', 'EVM error: OutOfGas'],
  ])
    it(`is recognized by “${message}”`, () => {
      expect(halted(message)).to.equal(true)
    })

  it('is not recognized by the message of a node failure', () => {
    for (const message of ['header not found', 'execution aborted (timeout = 5s)', 'the node is out of gas'])
      expect(halted(message), message).to.equal(false)
  })
})
