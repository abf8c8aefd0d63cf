import { Refusal } from './ask-wallet.ts'

/**
 * Asks a wallet for a charge's money while no other tab of this browser does: two clicks in two tabs must not be two
 * payments. Browsers have locks for pages that came by https; elsewhere what the tabs keep must do (`sent.ts`).
 *
 * @throws {Refusal} `script.pending` if another one does
 */
export async function asOnlyTab(chargeId: string, ask: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager }
  if (locks === undefined) return ask()
  await locks.request(`checkout asks for ${chargeId}`, { ifAvailable: true }, (lock) => {
    if (lock === null) throw new Refusal('script.pending')
    return ask()
  })
}
