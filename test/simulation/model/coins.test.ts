import { expect } from 'chai'
import type { Address } from '../../../shared/domain/address.ts'
import { ARC_EMITTER, ARC_USDC, COINS_PER_UNIT, FEE, FUNDS } from './arc.ts'
import { coinsOf, payFee, sendCoins } from './coins.ts'
import { distribute, transfer } from './contracts.ts'
import { balanceIn, emptyState, Reverted, type State } from './state.ts'

const PAYER = `0x${'9a'.repeat(20)}` as Address
const SPLIT = `0x${'55'.repeat(20)}` as Address
const MERCHANT = `0x${'a1'.repeat(20)}` as Address
const KEEPER = `0x${'4e'.repeat(20)}` as Address

describe('the model of Arc’s coin', () => {
  it('logs a direct send of the coin once, and a send of zero or to the sender not at all', () => {
    const state = funded()
    const spoken = sendCoins(state, { from: PAYER, to: SPLIT, coins: 7n })
    expect(spoken.map(({ address, data }) => [address, BigInt(data)])).to.deep.equal([[ARC_EMITTER, 7n]])
    expect(sendCoins(state, { from: PAYER, to: SPLIT, coins: 0n })).to.deep.equal([])
    expect(sendCoins(state, { from: PAYER, to: PAYER, coins: 5n })).to.deep.equal([])
  })

  it('logs a transfer of the token twice: first in units of the coin, then in units of the token', () => {
    const spoken = transfer(funded(), { token: ARC_USDC, from: PAYER, to: SPLIT, amount: 3n })
    expect(spoken.map(({ address, data }) => [address, BigInt(data)])).to.deep.equal([
      [ARC_EMITTER, 3n * COINS_PER_UNIT],
      [ARC_USDC, 3n],
    ])
  })

  it('adds up the fractions of a token unit in two sends to a whole unit', () => {
    const state = funded()
    for (const coins of [6n * 10n ** 11n, 6n * 10n ** 11n])
      sendCoins(state, { from: PAYER, to: SPLIT, coins })
    expect(balanceIn(state, ARC_USDC, SPLIT)).to.equal(1n)
  })

  it('leaves a fraction of a token unit in the split after a distribution', () => {
    const state = funded()
    sendCoins(state, { from: PAYER, to: SPLIT, coins: 5n * COINS_PER_UNIT + 9n })
    const split = {
      ...{ recipients: [MERCHANT], allocations: [1_000_000], totalAllocation: 1_000_000 },
      distributionIncentive: 0,
    }
    distribute(state, { address: SPLIT, split, token: ARC_USDC, distributor: KEEPER })
    expect([coinsOf(state, SPLIT), balanceIn(state, ARC_USDC, MERCHANT)]).to.deep.equal([9n, 5n])
  })

  it('reverts direct sends of the coin from or to a frozen account', () => {
    const state = funded()
    state.frozen.add(`${ARC_USDC}/${SPLIT}`)
    expect(() => sendCoins(state, { from: PAYER, to: SPLIT, coins: 1n })).to.throw(Reverted)
    expect(() => sendCoins(state, { from: SPLIT, to: PAYER, coins: 0n })).to.throw(Reverted)
  })

  it('deducts fees from the coin balance on Arc, and nothing on other chains', () => {
    const state = funded()
    payFee(state, PAYER)
    expect(coinsOf(state, PAYER)).to.equal(FUNDS - FEE)
    const other = emptyState()
    payFee(other, PAYER)
    expect(other.balances.size).to.equal(0)
  })
})

function funded(): State {
  const state = emptyState()
  state.balances.set(`${ARC_USDC}/${PAYER}`, FUNDS)
  return state
}
