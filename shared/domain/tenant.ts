import type { Environment } from './networks.ts'

/** The owner of rows. Queries never return rows of another organization or the other environment. */
export type Tenant = { readonly organizationId: string; readonly environment: Environment }
