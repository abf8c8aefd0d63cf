import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { findDestinationProblem } from '../../../shared/domain/refund/find-destination-problem.ts'
import { PERMIT2 } from '../../../shared/domain/swap/permit2.ts'
import { buildCharge, MERCHANT, randomHex, TREASURY } from '../../support/factories.ts'

const SENDER = `0x${'5e'.repeat(20)}` as Address
const TOKEN = `0x${'70'.repeat(20)}` as Address
const charge = buildCharge()

describe('the destination of a refund', () => {
  for (const [what, address] of [
    ['the zero address', `0x${'0'.repeat(40)}`],
    ['a precompiled contract', `0x${'0'.repeat(38)}09`],
    ['a precompiled contract of TRON', `0x${'0'.repeat(33)}1000001`],
    ['a precompiled contract of Arbitrum', `0x${'0'.repeat(35)}a4b05`],
    ['the bridge of the OP stack', '0x4200000000000000000000000000000000000010'],
    ['the native coin contract of Arc', '0x1800000000000000000000000000000000000000'],
    ['the contract of the token', TOKEN],
    ['the contract of another token', '0x514910771af9ca656af840dff83e8264ecf986ca'],
    ['the factory of Safe contracts', SAFE_CONTRACTS.proxyFactory],
    ['Multicall3', '0xca11bde05977b3631167028862be2a173976ca11'],
    ['Permit2', PERMIT2],
    ['the AllowanceHolder of 0x', '0x0000000000001ff3684f28c67538d4d072c22734'],
    ['the address of the charge', charge.address],
    ['the split factory', charge.splitTerms.factory],
    ['the wallet that sends the refund', SENDER],
    ['the treasury', TREASURY],
    ['the merchant', MERCHANT],
  ] as const)
    it(`is never ${what}`, () => {
      expect(problemOf(address)).to.be.a('string')
    })

  it('can be an address outside this list', () => {
    for (const address of [
      randomHex(20),
      '0x42000000000000000000000000000000abcd0010',
      `0x${'00'.repeat(11)}01${'ab'.repeat(8)}`,
    ])
      expect(problemOf(address), address).to.equal(null)
  })
})

function problemOf(address: string): string | null {
  return findDestinationProblem(address as Address, { charge, contracts: [TOKEN], sender: SENDER })
}
