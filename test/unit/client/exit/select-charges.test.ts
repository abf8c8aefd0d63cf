import { expect } from 'chai'
import { parseExitCharge } from '../../../../api/client/exit/exit-charge.ts'
import { selectCharges } from '../../../../api/client/exit/select-charges.ts'
import type { Address, ChainFamilyName } from '../../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../../shared/domain/chain-families/tron/address.ts'
import {
  buildCharge,
  buildTronCharge,
  FACTORY_ON_TRON,
  MERCHANT,
  PARTNER,
} from '../../../support/checked-charges.ts'

describe('selectCharges', () => {
  const known = { factory: formatTronAddress(FACTORY_ON_TRON) }
  const [evm, shared, tron] = [buildCharge({}), buildCharge({ splits: [10] }), buildTronCharge()]
  const all = [evm, shared, tron].map((charge) => parseExitCharge(charge, known))
  const select = (...payouts: (readonly [ChainFamilyName, readonly Address[]])[]) => {
    const { charges, skipped } = selectCharges(all, new Map(payouts))
    expect([...charges, ...skipped]).to.have.members(all)
    return charges.map(({ id }) => id)
  }

  it('skips charges whose terms do not name a payout address', () => {
    expect(select(['evm', [MERCHANT]])).to.deep.equal([evm.id, shared.id])
    expect(select(['evm', [PARTNER]])).to.deep.equal([shared.id])
    expect(select(['evm', [PARTNER, MERCHANT]], ['tron', [MERCHANT]])).to.have.length(3)
  })

  it('does not accept a payout address of another chain family, even if its 20 bytes are the same', () => {
    expect(select(['tron', [MERCHANT]])).to.deep.equal([tron.id])
    expect(select()).to.deep.equal([])
  })
})
