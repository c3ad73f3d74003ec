def json_merge_patch(target, patch):
    """The merge patch of RFC 7396: null removes a member, a dictionary is merged, anything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = json_merge_patch(merged.get(name), value)
    return merged
