import { expect } from 'chai'

import { hasReverted, rpcError } from '../../../shared/chain/nodes/node-errors.ts'

const CALL = { method: 'eth_call', url: 'http://node' }

describe('a call that reverted', () => {
  it('is distinguished from other errors of java-tron only by its message', () => {
    const told = (message: string) => hasReverted(rpcError({ code: -32000, message, data: '0x' }, CALL))
    expect(told('REVERT opcode executed')).to.equal(true)
    expect(told('lack of computing resources')).to.equal(false)
    expect(told('failed before the REVERT')).to.equal(false)
  })
})
