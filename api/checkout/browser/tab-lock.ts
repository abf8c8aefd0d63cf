import { WalletError } from './wallet-error.ts'

/**
 * Runs a payment request unless another tab of this browser is running one for the same charge. Otherwise clicks in two
 * tabs might cause two payments. Browsers offer locks only to pages served over https. On other pages only the stored
 * payments prevent a second request (`submitted-payments.ts`).
 *
 * @throws {WalletError} `script.pending` if another tab is running a payment request
 */
export async function withTabLock(chargeId: string, requestPayment: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager }
  if (locks === undefined) return requestPayment()
  await locks.request(`checkout payment of ${chargeId}`, { ifAvailable: true }, (lock) => {
    if (lock === null) throw new WalletError('script.pending')
    return requestPayment()
  })
}
