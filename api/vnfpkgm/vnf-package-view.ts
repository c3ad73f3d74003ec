import type { VnfPackageWithUsage } from '../../store/vnf-packages.ts';
import { present } from '../http/present.ts';
import type { SelectableResource } from '../query/selectors.ts';

type Free = Record<string, unknown>;

export const vnfPackageSelectors: SelectableResource = {
  excludedByDefault: ['userDefinedData', 'checksum', 'softwareImages', 'additionalArtifacts'],
  mandatory: [
    'id',
    'onboardingState',
    'operationalState',
    'usageState',
    'vnfProvider',
    'vnfProductName',
    'vnfdId',
    'vnfSoftwareVersion',
    'vnfdVersion',
  ],
};

/** The relative path of a package, as in Tacker's old framework. */
export function vnfPackagePath(id: string): string {
  return `/vnfpkgm/v1/vnf_packages/${id}`;
}

/** VnfPkgInfo as Tacker emits it; what onboarding learns is there only when ONBOARDED. */
export function vnfPackageView(row: VnfPackageWithUsage): Free & { id: string } {
  const self = vnfPackagePath(row.id);
  return {
    id: row.id,
    onboardingState: row.onboardingState,
    operationalState: row.operationalState,
    usageState: row.usageState,
    userDefinedData: row.userDefinedData,
    ...(row.onboardingState === 'ONBOARDED' ? onboardedView(row) : {}),
    ...(row.onboardingFailure === null ? {} : { onboardingFailureDetails: row.onboardingFailure }),
    _links: { self: { href: self }, packageContent: { href: `${self}/package_content` } },
  };
}

function onboardedView(row: VnfPackageWithUsage): Free {
  return present({
    vnfdId: row.vnfdId,
    vnfProvider: row.provider,
    vnfProductName: row.productName,
    vnfSoftwareVersion: row.softwareVersion,
    vnfdVersion: row.vnfdVersion,
    checksum: row.checksum,
    softwareImages: row.softwareImages,
    additionalArtifacts: row.additionalArtifacts,
  });
}
