import { expect } from 'chai'
import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { startTestApiOn, type TestApi } from './api.ts'
import { call } from './call-route.ts'
import type { TestDatabase } from './postgres.ts'
import { CHECKOUT, type RefundDaemon } from './refund-fixture.ts'

/** A refund of the whole amount that a charge received, to the address that its payer enters. */
type ClaimedRefund = {
  readonly family: ChainFamilyName
  readonly chargeId: string
  readonly to: Address
  /** The wallet that pays; `null` for the merchant's address in the charge. */
  readonly from: Address | null
}

/**
 * Declares a refund, enters the payer's address on its page without a signature, and approves the address, over HTTP.
 * Starts an API for this on the daemon's database. Returns the refund's id.
 */
export async function claimRefund(
  database: TestDatabase,
  daemon: RefundDaemon,
  refund: ClaimedRefund,
): Promise<string> {
  const api = await startTestApiOn(database, { CHECKOUT_BASE_URL: CHECKOUT })
  const loop = daemon.createLoop()
  loop.start()
  try {
    return await claim(api, refund)
  } finally {
    await loop.stop()
    await api.stop()
  }
}

async function claim(api: TestApi, { family, chargeId, to, from }: ClaimedRefund): Promise<string> {
  const { key } = await api.issueKey({ organization: 'org_1', scopes: ['charges:read', 'refunds:write'] })
  const address = presentAddress(to, family)
  const declaration = {
    ...{ amount: 'all', destination: { claim: true }, idempotencyKey: `claim-of-${chargeId}` },
    ...(from !== null && { from: presentAddress(from, family) }),
  }
  const declared = await call(api, `POST /v1/charges/${chargeId}/refunds`, { key, body: declaration })
  expect(declared.status, declared.text).to.equal(201)
  const { id, claimUrl } = declared.body
  const body = new URLSearchParams({ address, step: 'send' })
  const page = `${api.baseUrl}${new URL(claimUrl).pathname}`
  expect((await fetch(page, { method: 'POST', body, redirect: 'manual' })).status).to.equal(303)
  const { body: claimed } = await call(api, `GET /v1/refunds/${id}`, { key })
  expect(claimed).to.deep.include({ status: 'awaiting_approval', destination: null, payment: null })
  expect(claimed.claim).to.include({ address, signer: null })
  const approved = await call(api, `POST /v1/refunds/${id}/approve`, { key, body: { address } })
  expect(approved.body, approved.text).to.include({ status: 'awaiting_payment', destination: address })
  return id
}
