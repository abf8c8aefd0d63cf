import { expect } from 'chai'
import { listEscrows } from '../../../../api/client/exit/escrow-order.ts'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { addressOfByte, buildCharge, withEscrow } from '../../../support/checked-charges.ts'

describe('the orders of escrows', () => {
  const json = withEscrow(buildCharge({}))
  const list = (isSigned: boolean, confirmed: Parameters<typeof listEscrows>[1] = []) => {
    const charge = parseExitCharge(json, { isSigned })
    const tokens = ['c1', 'c2'].map((byte) => ({ symbol: byte, address: addressOfByte(byte), decimals: 6 }))
    const holdings = tokens.map((token) => ({
      ...{ charge, token, distributable: 0n, held: [], inEscrow: 5n, safeNonce: null },
    }))
    const survey = { chain: { chainId: 1 }, holdings, deployments: [] }
    return listEscrows(survey as unknown as Parameters<typeof listEscrows>[0], confirmed)
  }

  it('exist only if the terms are signed or the user has confirmed the split', () => {
    const { splitAddress } = parseExitCharge(json)
    const hasOrders = (escrows: ReturnType<typeof list>) => escrows.map(({ order }) => order !== null)
    expect(hasOrders(list(false))).to.deep.equal([false, false])
    expect(hasOrders(list(false, [addressOfByte('ee')]))).to.deep.equal([false, false])
    expect(hasOrders(list(false, [splitAddress]))).to.deep.equal([true, true])
    expect(hasOrders(list(true))).to.deep.equal([true, true])
  })

  it('have consecutive nonces for two tokens in one Safe, and only the first order creates the Safe', () => {
    const orders = list(true).map(({ order }) => order)
    expect(orders.map((order) => order?.transaction.nonce)).to.deep.equal([0n, 1n])
    expect(orders.map((order) => order?.creation !== null)).to.deep.equal([true, false])
  })
})
