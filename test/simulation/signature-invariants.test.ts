import { expect } from 'chai'
import { keccak256, pad, stringToHex, toHex } from 'viem'
import type { Address } from '../../shared/domain/address.ts'
import { TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import type { Receipt } from './model/chain.ts'
import { type AuthorizationNow, findWrongEnd } from './signature-invariants.ts'
import { RELAYER, SIGNING_PAYER } from './world.ts'

const TOKEN = `0x${'70'.repeat(20)}` as Address
const CHARGE = `0x${'c4'.repeat(20)}` as Address
const NONCE = keccak256(stringToHex('nonce'))
const [HASH, OTHER] = [keccak256(stringToHex('one')), keccak256(stringToHex('other'))]

describe('the invariant that the status of an authorization matches the chain', () => {
  it('holds if the recorded transaction executed the authorization, or if the authorization expired without being executed', () => {
    expect(findWrongEnd(authorization('final'), [execution()])).to.deep.equal([])
    expect(findWrongEnd(authorization('expired'), [])).to.deep.equal([])
  })

  it('fails if the authorization does not have a final status', () => {
    expect(findWrongEnd(authorization('mined'), [execution()])).to.have.length(1)
  })

  it('fails if another transaction or no transaction executed the authorization', () => {
    expect(findWrongEnd(authorization('final'), [execution(OTHER)])).to.have.length(1)
    expect(findWrongEnd(authorization('executed_externally'), [])).to.have.length(1)
  })

  it('fails if the authorization was executed twice', () => {
    expect(findWrongEnd(authorization('final'), [execution(), execution(OTHER)])).to.have.length(1)
  })

  it('fails if the authorization was executed although its status is expired, canceled or reverted', () => {
    for (const status of ['expired', 'canceled', 'reverted'])
      expect(findWrongEnd(authorization(status), [execution()])).to.have.length(1)
  })
})

function authorization(status: string): AuthorizationNow {
  const parties = { payer: SIGNING_PAYER, recipient: CHARGE }
  return { id: 1, status, tokenAddress: TOKEN, ...parties, nonce: NONCE, valueAtomic: 5n, txHash: HASH }
}

function execution(hash = HASH): Receipt {
  const log = { address: TOKEN, logIndex: 0 }
  const payer = pad(SIGNING_PAYER, { size: 32 })
  return {
    ...{ transaction: { hash, from: RELAYER, nonce: null, run: () => [] }, isSuccess: true },
    logs: [
      { ...log, topics: [keccak256(stringToHex('used')), payer, NONCE], data: toHex(0, { size: 32 }) },
      { ...log, topics: [TRANSFER_TOPIC, payer, pad(CHARGE, { size: 32 })], data: toHex(5, { size: 32 }) },
    ],
  }
}
