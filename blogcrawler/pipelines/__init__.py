"""The stages that turn a page into a record, in the order of ITEM_PIPELINES. The item carries their input."""
