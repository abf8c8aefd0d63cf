import { expect } from 'chai'
import { hashTypedData } from 'viem'
import { LANGUAGES } from '../../../api/checkout/languages.ts'
import type { EscrowPageData } from '../../../api/checkout/page-data.ts'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { AppError } from '../../../shared/domain/errors.ts'
import { atomic, atto } from '../../../shared/domain/money.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'
import {
  buildEscrowCharge,
  buildEscrowPage,
  buildReading,
  ESCROW_STATES,
  PAYER,
  RELEASER,
  viewOf,
} from '../../support/escrow-page.ts'
import { MERCHANT, TREASURY } from '../../support/factories.ts'

const textOf = (page: string) =>
  page.replace(/<script[^]*?<\/script>|<style[^]*?<\/style>/g, '').replaceAll(/<[^>]*>/g, '')
const dataOf = (page: string): EscrowPageData =>
  JSON.parse(/id="data">(.*?)<\/script>/.exec(page)?.[1] ?? expect.fail('no data'))
const rowsOf = (page: string) =>
  [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, term = '', value = '']) => [
    textOf(term),
    textOf(value),
  ])

describe('the page of an escrow', () => {
  for (const { name, view, heading } of ESCROW_STATES) {
    it(`shows a heading and, without a script, no button if the escrow is ${name}`, async () => {
      const page = buildEscrowPage(await view())
      expect(page).to.contain(`<h1>${heading}</h1>`)
      expect(page).not.to.contain('<button')
      for (const language of Object.keys(LANGUAGES))
        expect(buildEscrowPage(await view(), { query: `lang=${language}` })).to.contain(
          `<html lang="${language}"`,
        )
    })
  }

  it('shows every amount and address of a release and a refund in full', async () => {
    const charge = buildEscrowCharge()
    const page = buildEscrowPage(await viewOf(charge))
    expect(rowsOf(page).slice(0, 4)).to.deep.equal([
      // The fee of 1 % includes the incentive, and the merchant gets the unit left over by rounding.
      ['9.900001 USDC · The merchant', checksum(MERCHANT)],
      ['0.099999 USDC · Service fee', checksum(TREASURY)],
      ['You sign for 10.00 USDC to this contract, which pays them', checksum(charge.splitAddress)],
      ['10.00 USDC', PAYER],
    ])
    expect(textOf(page)).to.contain(`Only a signature of ${RELEASER} moves this money`)
  })

  it('shows a recipient without the merchant’s label, and amounts that add up to the balance', async () => {
    const friend = `0x${'f1'.repeat(20)}` as Address
    const charge = buildEscrowCharge(withRecipient(friend))
    const view = await viewOf(charge, () => buildReading(charge, { balance: 10_000_001n }))
    const page = buildEscrowPage(view)
    expect(
      rowsOf(page)
        .slice(0, 3)
        .map(([term]) => term),
    ).to.deep.equal(['8.910003 USDC · The merchant', '0.989999 USDC', '0.099999 USDC · Service fee'])
    expect(rowsOf(page)[1]).to.deep.equal(['0.989999 USDC', checksum(friend)])
    expect(page).not.to.contain('my friend')
  })

  it('shows the payment whose sender a refund pays, and the contracts that the signature commits to', async () => {
    const page = buildEscrowPage(await viewOf())
    expect(page).to.contain('Refund to the last sender').and.to.contain('10.00 USDC, <time')
    const charge = buildEscrowCharge()
    expect(rowsOf(page)).to.deep.include(['Held at this address', checksum(charge.address)])
    expect(page).not.to.contain('The last payment was only')
  })

  it('warns if a refund would send the money of other payers to the last sender', async () => {
    const charge = buildEscrowCharge()
    const reading = buildReading(charge, { balance: 10_000_000n })
    const escrow = { ...reading.escrow, amountAtomic: atomic(100_000n) }
    const page = buildEscrowPage(await viewOf(charge, () => ({ ...reading, escrow })))
    expect(page).to.contain(
      '<strong>The last payment was only 0.10 USDC.</strong> A refund sends all 10.00 USDC',
    )
  })

  it('shows only the release while a refund would send an uncredited payment to a sender of dust', async () => {
    const charge = buildEscrowCharge()
    const reading = buildReading(charge, { balance: 10_000_000n })
    const dust = { amountAtomic: atomic(10_000n), onlyDustAtto: atto(10n ** 16n) }
    const escrow = { ...reading.escrow, ...dust }
    const page = buildEscrowPage(await viewOf(charge, () => ({ ...reading, escrow })), {
      script: '../assets/escrow.js',
    })
    expect(page).to.contain('data-action="release"').and.not.to.contain('data-action="refund"')
    const { escrow: signable } = dataOf(page)
    expect(signable?.orders.release.destination).to.equal(checksum(charge.splitAddress))
    expect(signable?.orders.refund).to.equal(null)
  })

  it('contains exactly the transactions that the endpoints prepare, for signing', async () => {
    const view = await viewOf()
    if (view.state !== 'held') return expect.fail(view.state)
    const { escrow } = dataOf(buildEscrowPage(view, { script: '../assets/escrow.js' }))
    for (const action of ['release', 'refund'] as const) {
      const { typedData, destination, amount } = escrow?.orders[action] ?? expect.fail(action)
      expect(hashTypedData(typedData as never)).to.equal(view.orders[action]?.safeTxHash)
      expect(String(Reflect.get(Reflect.get(typedData, 'message') as object, 'data')))
        .to.contain(destination.slice(2).toLowerCase())
        .and.to.contain(BigInt(amount).toString(16))
    }
    expect(escrow).to.deep.include({
      family: 'evm',
      chainId: 8453,
      releaser: RELEASER,
      shownAmount: '10.00 USDC',
    })
  })

  it('contains nothing to sign if the addresses do not match the charge’s recipients or releaser', async () => {
    const charge = buildEscrowCharge()
    const stranger = `0x${'99'.repeat(20)}` as Address
    const splitTerms = { ...charge.splitTerms, recipients: [stranger, TREASURY] }
    expect(await viewOf({ ...charge, splitTerms })).to.deep.equal({ state: 'blocked' })
    expect(await viewOf({ ...charge, address: stranger })).to.deep.equal({ state: 'blocked' })
    const escrow = charge.escrow && { ...charge.escrow, releaserAddress: stranger }
    expect(await viewOf({ ...charge, escrow })).to.deep.equal({ state: 'blocked' })
  })

  it('contains nothing to sign unless the escrow is held', async () => {
    for (const { name, view } of ESCROW_STATES.filter((state) => state.name !== 'held')) {
      const { escrow } = dataOf(buildEscrowPage(await view(), { script: '../assets/escrow.js' }))
      expect(escrow, name).to.equal(null)
    }
  })

  it('throws errors that are not due to the state of the escrow', async () => {
    const broken = () => {
      throw new AppError('internal_error', 'broken')
    }
    const failure = await viewOf(undefined, broken).then(
      () => null,
      (error: unknown) => error,
    )
    expect(failure).to.include({ code: 'internal_error' })
  })
})

/** Returns the columns of a charge that pays a tenth of the merchant's net amount to a recipient. */
function withRecipient(address: Address) {
  const id = `ch_${'1'.repeat(36)}`
  const splitTerms = {
    ...buildEscrowCharge().splitTerms,
    recipients: [MERCHANT, address, TREASURY],
    allocations: [891_892, 99_099, 9_009],
  }
  const splitAddress = predictSplitAddress({
    ...{ factory: splitTerms.factory, implementation: SPLIT_IMPLEMENTATION },
    ...{ split: splitTerms, salt: chargeSalt(id) },
  })
  const splitRecipients = [{ address, percentText: '10', label: 'my friend' }]
  return { id, splitTerms, splitAddress, splitRecipients }
}
