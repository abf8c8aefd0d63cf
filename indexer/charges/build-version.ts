import packageJson from '../../package.json' with { type: 'json' }

/** Version of this build. A charge that this build quarantined is not released by the same build again. */
export const BUILD_VERSION: string = packageJson.version
